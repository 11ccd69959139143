/** A picture for the demo, made here so that none has to be shipped. */

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(data, 8);
  let crc = 0xffffffff;
  for (const byte of bytes.subarray(4, 8 + data.length)) crc = CRC[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  view.setUint32(8 + data.length, ~crc >>> 0);
  return bytes;
}

/** A PNG of one colour. */
export async function dotPng(width: number, height: number, rgb: readonly [number, number, number]) {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 2, 0, 0, 0], 8); // 8 bits, RGB, no interlace
  const row = [0, ...Array.from({ length: width }, () => rgb).flat()];
  const pixels = new Uint8Array(Array.from({ length: height }, () => row).flat());
  const packed = new Blob([pixels]).stream().pipeThrough(new CompressionStream("deflate"));
  const signature = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = new Uint8Array(await new Response(packed).arrayBuffer());
  return await new Blob(
    [signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", new Uint8Array(0))] as BlobPart[],
  )
    .bytes();
}
