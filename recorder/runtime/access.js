// SPDX-License-Identifier: MIT
// The access log: what rewritten page code calls when it reads and writes.
