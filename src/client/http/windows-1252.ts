/** The characters of the bytes 0x80 to 0x9f; all other bytes are as in Latin-1. */
const characters = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * Decodes Windows-1252, which "Latin-1" and "ASCII" mean on the web, too. Not by TextDecoder: that of Node 20.18.3 and newer,
 * and of versions of Node 22 and 24, makes control characters of the euro sign and of typographic quotes and dashes.
 */
export function decodeWindows1252({ buffer, byteOffset, byteLength }: Uint8Array): string {
  const text = Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
  return text.replace(/[\x80-\x9f]/g, (character) => characters[character.charCodeAt(0) - 0x80] as string);
}
