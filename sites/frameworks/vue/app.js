// A to-do list whose template is the document itself.
const { createApp, ref, computed } = Vue;
createApp({
  setup() {
    const items = ref([]), text = ref("");
    const left = computed(() => items.value.filter(item => !item.done).length);
    const add = () => {
      if (text.value) items.value.push({ id: items.value.length, text: text.value, done: false });
      text.value = "";
    };
    return { items, text, left, add };
  },
}).mount("#app");
