/** A WAV file with `seconds` of silence. Browsers play it under any file name. `rate` is the number of bytes of a second. */
export function silence(seconds: number, rate = 8000): Buffer {
  const size = seconds * rate
  const wav = Buffer.alloc(44 + size, 128)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(36 + size, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(rate, 24)
  wav.writeUInt32LE(rate, 28)
  wav.writeUInt16LE(1, 32)
  wav.writeUInt16LE(8, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(size, 40)
  return wav
}
