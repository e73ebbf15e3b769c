/** An empty PDF page of 200 by 100 points. */
export function emptyPdf(): string {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>',
  ]
  const starts: number[] = []
  let pdf = '%PDF-1.4\n'
  for (const [at, object] of objects.entries()) {
    starts.push(pdf.length)
    pdf += `${at + 1} 0 obj\n${object}\nendobj\n`
  }
  const table = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('')
  return `${pdf}xref\n0 4\n0000000000 65535 f \n${table}trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`
}
