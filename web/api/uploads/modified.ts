// The last time that the server accepts: the end of the year 9999.
const lastMs = 253_402_300_799_999

/** The modification time of a file of this device, in milliseconds since 1970; undefined for other content. */
export function modifiedMs(body: Blob): number | undefined {
  if (!(body instanceof File)) return undefined
  return body.lastModified >= 0 && body.lastModified <= lastMs ? body.lastModified : undefined
}
