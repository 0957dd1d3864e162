// SPDX-License-Identifier: MIT
// Pristine built-ins: pages redefine them before and after load, and the runtime must not notice.

const uncurry = Function.prototype.bind.bind(Function.prototype.call);
// Methods of pristine prototypes as functions of (this, ...arguments).
const ArrayIsArray = Array.isArray;
const ArrayJoin = uncurry(Array.prototype.join);
const ArrayPop = uncurry(Array.prototype.pop);
const ArrayPush = uncurry(Array.prototype.push);
const ArrayShift = uncurry(Array.prototype.shift);
const ArraySlice = uncurry(Array.prototype.slice);
const ArraySort = uncurry(Array.prototype.sort);
const ArraySplice = uncurry(Array.prototype.splice);
const ArrayIndexOf = uncurry(Array.prototype.indexOf);
const ArrayMap = uncurry(Array.prototype.map);
const ArrayFilter = uncurry(Array.prototype.filter);
const ArrayForEach = uncurry(Array.prototype.forEach);
const ArrayIncludes = uncurry(Array.prototype.includes);
const StringCharCodeAt = uncurry(String.prototype.charCodeAt);
const StringIncludes = uncurry(String.prototype.includes);
const StringIndexOf = uncurry(String.prototype.indexOf);
const StringReplaceAll = uncurry(String.prototype.replaceAll);
const StringSlice = uncurry(String.prototype.slice);
const StringSplit = uncurry(String.prototype.split);
const StringStartsWith = uncurry(String.prototype.startsWith);
const StringEndsWith = uncurry(String.prototype.endsWith);
const StringToLowerCase = uncurry(String.prototype.toLowerCase);
const StringToUpperCase = uncurry(String.prototype.toUpperCase);
const StringTrim = uncurry(String.prototype.trim);
const StringPadStart = uncurry(String.prototype.padStart);
const NumberToString = uncurry(Number.prototype.toString);
const BigIntToString = uncurry(BigInt.prototype.toString);
const RegExpExec = uncurry(RegExp.prototype.exec);
const SymbolDescription = uncurry(Object.getOwnPropertyDescriptor(Symbol.prototype, "description").get);
const FunctionApply = uncurry(Function.prototype.apply);
const FunctionBind = uncurry(Function.prototype.bind);
const FunctionCall = Function.prototype.call;
const FunctionToString = uncurry(Function.prototype.toString);
const ObjectHasOwn = Object.hasOwn;
const ObjectIs = Object.is;
const ObjectKeys = Object.keys;
const ObjectFreeze = Object.freeze;
const ObjectCreate = Object.create;
const ObjectAssign = Object.assign;
const ObjectDefineProperty = Object.defineProperty;
const ObjectGetOwnPropertyDescriptor = Object.getOwnPropertyDescriptor;
const ObjectGetOwnPropertyNames = Object.getOwnPropertyNames;
const ObjectToString = uncurry(Object.prototype.toString);
const ObjectPrototype = Object.prototype;
const ReflectApply = Reflect.apply;
const ReflectConstruct = Reflect.construct;
const ReflectDefineProperty = Reflect.defineProperty;
const ReflectDeleteProperty = Reflect.deleteProperty;
const ReflectGet = Reflect.get;
const ReflectGetPrototypeOf = Reflect.getPrototypeOf;
const ReflectHas = Reflect.has;
const ReflectIsExtensible = Reflect.isExtensible;
const ReflectOwnKeys = Reflect.ownKeys;
const ReflectSet = Reflect.set;
const ReflectSetPrototypeOf = Reflect.setPrototypeOf;
const JSONStringify = JSON.stringify;
const JSONParse = JSON.parse;
const MathMin = Math.min;
const MathMax = Math.max;
const MathFloor = Math.floor;
const NumberIsInteger = Number.isInteger;
const NumberIsSafeInteger = Number.isSafeInteger;
const PromiseResolve = Promise.resolve.bind(Promise);
const PromiseThen = uncurry(Promise.prototype.then);
const NativeArray = Array;
const NativeError = Error;
const NativeEval = eval;
const NativeFunction = Function;
const NativeInt32Array = Int32Array;
const NativeMap = Map;
const NativeObject = Object;
const NativePromise = Promise;
const NativeProxy = Proxy;
const NativeReferenceError = ReferenceError;
const NativeSet = Set;
const NativeString = String;
const NativeSymbol = Symbol;
const NativeTypeError = TypeError;
const NativeWeakMap = WeakMap;
const NativeWeakSet = WeakSet;

// Collections whose methods are their own: a page that patches Map.prototype changes nothing here, and the engine still
// recognises the methods.
const safe = (Base, names) => {
  // The constructor is spelt out: the engine's own passes its arguments through an array's iterator.
  const Safe = class extends Base {
    constructor() {
      super();
    }
  };
  for (const name of names)
    ObjectDefineProperty(Safe.prototype, name, ObjectGetOwnPropertyDescriptor(Base.prototype, name));
  ReflectSetPrototypeOf(Safe.prototype, null);
  ObjectFreeze(Safe.prototype);
  return Safe;
};
const SafeMap = safe(Map, ["get", "set", "has", "delete", "clear", "size", "forEach"]);
const SafeSet = safe(Set, ["add", "has", "delete", "clear", "size", "forEach"]);
const SafeWeakMap = safe(WeakMap, ["get", "set", "has", "delete"]);
const SafeWeakSet = safe(WeakSet, ["add", "has", "delete"]);
const WeakMapGet = uncurry(WeakMap.prototype.get);
const MapForEach = uncurry(Map.prototype.forEach);
const MapHas = uncurry(Map.prototype.has);
const MapSize = uncurry(ObjectGetOwnPropertyDescriptor(Map.prototype, "size").get);
const SetForEach = uncurry(Set.prototype.forEach);
const SetHas = uncurry(Set.prototype.has);
const SetSize = uncurry(ObjectGetOwnPropertyDescriptor(Set.prototype, "size").get);
const TypedArrayPrototype = ReflectGetPrototypeOf(Int32Array.prototype);
const TypedArrayTag = uncurry(ObjectGetOwnPropertyDescriptor(TypedArrayPrototype, Symbol.toStringTag).get);
const Int32ArraySet = uncurry(TypedArrayPrototype.set);
const Int32ArraySubarray = uncurry(TypedArrayPrototype.subarray);
