/** 128 random bits in hex. */
export function randomId(): string {
  const bytes = new Uint8Array(16)
  // React Native has no crypto of its own, and randomUUID is missing on pages without TLS.
  const { crypto } = globalThis as { crypto?: Crypto }
  crypto?.getRandomValues(bytes)
  // It must be unique rather than secret: it only keeps one call from counting twice.
  const random = crypto ? (byte: number) => byte : () => Math.floor(Math.random() * 256)
  return Array.from(bytes, (byte) => random(byte).toString(16).padStart(2, '0')).join('')
}
