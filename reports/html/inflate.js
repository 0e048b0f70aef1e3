/* SPDX-License-Identifier: MIT */
/* Inflate (RFC 1951), at once and not by a stream: what is printed must be there when `beforeprint` returns. */
const inflate = (() => {
  const LENGTH = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
  const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
  const DISTANCE = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
  const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  const WIDEST = 15;

  /* A table from the next 15 bits to (symbol << 4 | length of its code). */
  function table(lengths) {
    const out = new Uint16Array(1 << WIDEST);
    let code = 0;
    for (let length = 1; length <= WIDEST; length++, code <<= 1)
      for (let symbol = 0; symbol < lengths.length; symbol++) {
        if (lengths[symbol] !== length) continue;
        let reversed = 0;
        for (let i = 0; i < length; i++) reversed |= ((code >> i) & 1) << (length - 1 - i);
        for (let at = reversed; at < 1 << WIDEST; at += 1 << length) out[at] = (symbol << 4) | length;
        code++;
      }
    return out;
  }

  const fixed = () => [
    table(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
    table(new Array(30).fill(5)),
  ];

  return (bytes, size) => {
    const out = new Uint8Array(size);
    let at = 0, bit = 0, held = 0, end = 0;
    const need = (n) => {
      for (; held < n; held += 8) bit |= bytes[at++] << held;
    };
    const take = (n) => {
      need(n);
      const value = bit & ((1 << n) - 1);
      bit >>>= n;
      held -= n;
      return value;
    };
    const symbol = (codes) => {
      need(WIDEST);
      const entry = codes[bit & ((1 << WIDEST) - 1)];
      bit >>>= entry & 15;
      held -= entry & 15;
      return entry >> 4;
    };
    /* The codes of a block, themselves coded. */
    const dynamic = () => {
      const literals = take(5) + 257, distances = take(5) + 1, count = take(4) + 4, lengths = new Array(19).fill(0);
      for (let i = 0; i < count; i++) lengths[ORDER[i]] = take(3);
      const codes = table(lengths), all = [];
      while (all.length < literals + distances) {
        const value = symbol(codes);
        if (value < 16) all.push(value);
        else if (value === 16) all.push(...new Array(take(2) + 3).fill(all.at(-1)));
        else all.push(...new Array(value === 17 ? take(3) + 3 : take(7) + 11).fill(0));
      }
      return [table(all.slice(0, literals)), table(all.slice(literals))];
    };
    const stored = () => {
      at -= held >> 3; // whole bytes that were read ahead
      bit = held = 0;
      const length = bytes[at] | (bytes[at + 1] << 8);
      out.set(bytes.subarray(at + 4, at + 4 + length), end);
      at += 4 + length;
      end += length;
    };
    for (let last = 0; !last; ) {
      last = take(1);
      const kind = take(2);
      if (kind === 0) {
        stored();
        continue;
      }
      const [literals, distances] = kind === 1 ? fixed() : dynamic();
      for (let value = symbol(literals); value !== 256; value = symbol(literals)) {
        if (value < 256) {
          out[end++] = value;
          continue;
        }
        const length = LENGTH[value - 257] + take(LENGTH_BITS[value - 257]), code = symbol(distances);
        const back = DISTANCE[code] + take(code < 4 ? 0 : (code >> 1) - 1);
        for (let i = 0; i < length; i++, end++) out[end] = out[end - back];
      }
    }
    return out;
  };
})();
