/** Writes a small database in MaxMind's format 2.0: a binary tree over address bits, then records, then metadata. */
import { parseNetwork } from '../../src/domain/guard/reputation/words.ts'

type Value = string | boolean | number | { readonly [name: string]: Value }

/** Empty, another node, or the offset of a record in the data section. */
type Slot = null | TreeNode | { readonly record: number }
type TreeNode = [Slot, Slot]

interface Options {
  readonly ipVersion?: 4 | 6
  readonly builtMs?: number
}

export function writeMmdb(
  networks: Readonly<Record<string, Value>>,
  { ipVersion = 6, builtMs = Date.now() }: Options = {},
): Buffer {
  const tree: TreeNode = [null, null]
  const records: Buffer[] = []
  let size = 0
  for (const [cidr, value] of Object.entries(networks)) {
    insert(tree, bitsOf(cidr, ipVersion), { record: size })
    const encoded = encode(value)
    records.push(encoded)
    size += encoded.length
  }
  const nodes = listNodes(tree)
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: Math.floor(builtMs / 1_000),
    database_type: 'Test',
    ip_version: ipVersion,
    node_count: nodes.length,
    record_size: 32,
  })
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.concat([searchTree(nodes), Buffer.alloc(16), ...records, marker, metadata])
}

/** In an IPv6 tree, IPv4 addresses follow 96 zero bits. */
function bitsOf(cidr: string, ipVersion: 4 | 6): string {
  const network = parseNetwork(cidr)
  if (!network) throw new Error(`not a network: ${cidr}`)
  const bits = network.start.map((word) => word.toString(2).padStart(32, '0')).join('')
  const prefix = bits.slice(0, Number(cidr.split('/')[1] ?? bits.length))
  return bits.length === 32 && ipVersion === 6 ? '0'.repeat(96) + prefix : prefix
}

function insert(tree: TreeNode, bits: string, record: Slot): void {
  let node = tree
  for (const [index, bit] of [...bits].entries()) {
    const side = bit === '1' ? 1 : 0
    if (index === bits.length - 1) node[side] = record
    else {
      const next = node[side]
      const child: TreeNode = Array.isArray(next) ? next : [null, null]
      node[side] = child
      node = child
    }
  }
}

function listNodes(tree: TreeNode): TreeNode[] {
  const nodes = [tree]
  for (const node of nodes) for (const slot of node) if (Array.isArray(slot)) nodes.push(slot)
  return nodes
}

function searchTree(nodes: readonly TreeNode[]): Buffer {
  const bytes = Buffer.alloc(nodes.length * 8)
  const pointerOf = (slot: Slot) => {
    if (slot === null) return nodes.length
    return Array.isArray(slot) ? nodes.indexOf(slot) : nodes.length + 16 + slot.record
  }
  for (const [index, [left, right]] of nodes.entries()) {
    bytes.writeUInt32BE(pointerOf(left), index * 8)
    bytes.writeUInt32BE(pointerOf(right), index * 8 + 4)
  }
  return bytes
}

/** Types 2 (string), 6 (uint32), 7 (map), 9 (uint64) and 14 (boolean); types above 7 use the extended form. */
function encode(value: Value): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'boolean') return control(14, value ? 1 : 0)
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64BE(BigInt(value))
    // node_count, record_size and the like must be read back as numbers, which only uint32 does.
    return value < 2 ** 32
      ? Buffer.concat([control(6, 4), bytes.subarray(4)])
      : Buffer.concat([control(9, 8), bytes])
  }
  const entries = Object.entries(value)
  const parts = entries.flatMap(([name, each]) => [encode(name), encode(each)])
  return Buffer.concat([control(7, entries.length), ...parts])
}

function control(type: number, size: number): Buffer {
  const head = (first: number) => (size < 29 ? [first | size] : [first | 29, size - 29])
  if (type <= 7) return Buffer.from(head(type << 5))
  const [first = 0, ...rest] = head(0)
  return Buffer.from([first, type - 7, ...rest])
}
