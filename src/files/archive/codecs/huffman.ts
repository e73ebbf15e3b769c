/**
 * Computes the code lengths of a Huffman code for symbols of these frequencies, at most `longest` bits each. Symbols
 * that do not occur get a code too, as bzip2 requires.
 */
export function codeLengths(frequencies: Int32Array, longest: number): Uint8Array {
  let weights = Array.from(frequencies, (frequency) => Math.max(frequency, 1))
  for (;;) {
    const lengths = huffman(weights)
    if (lengths.every((length) => length <= longest)) return lengths
    // As bzip2 does: more equal weights give a flatter tree.
    weights = weights.map((weight) => (weight >> 1) + 1)
  }
}

function huffman(weights: number[]): Uint8Array {
  const symbols = weights.length
  const leaves = weights.map((_, symbol) => symbol).sort((a, b) => (weights[a] ?? 0) - (weights[b] ?? 0))
  const parents = new Int32Array(2 * symbols)
  const sums = new Float64Array(2 * symbols)
  for (const [symbol, weight] of weights.entries()) sums[symbol] = weight
  // Two sorted queues: the leaves by weight, and the inner nodes, which are created in the order of their weight.
  let leaf = 0
  let inner = symbols
  let made = symbols
  const lightest = () => {
    const isLeaf = leaf < symbols && (inner === made || (sums[leaves[leaf] ?? 0] ?? 0) <= (sums[inner] ?? 0))
    return isLeaf ? (leaves[leaf++] ?? 0) : inner++
  }
  while (made < 2 * symbols - 1) {
    const one = lightest()
    const other = lightest()
    sums[made] = (sums[one] ?? 0) + (sums[other] ?? 0)
    parents[one] = made
    parents[other] = made
    made++
  }
  const depths = new Uint8Array(2 * symbols)
  for (let node = made - 2; node >= 0; node--) depths[node] = (depths[parents[node] ?? 0] ?? 0) + 1
  return depths.slice(0, symbols)
}

/** Returns the canonical codes for code lengths: shorter codes first, equal lengths in the order of the symbols. */
export function codesOf(lengths: Uint8Array): Int32Array {
  const codes = new Int32Array(lengths.length)
  let code = 0
  for (let length = 1; length <= 20; length++) {
    for (let symbol = 0; symbol < lengths.length; symbol++)
      if (lengths[symbol] === length) codes[symbol] = code++
    code <<= 1
  }
  return codes
}
