import { domainToASCII } from 'node:url'

// RFC 5321 §4.1.2 without quoted names, which no provider offers and which may contain anything.
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const domain = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * One e-mail address in the form in which it is used: without spaces around it, the domain in lower case and ASCII. It
 * cannot contain anything that means something in a header or a command of SMTP. Undefined: the text is no address.
 */
export function mailAddress(text: string): string | undefined {
  const written = text.trim()
  const at = written.lastIndexOf('@')
  const [local, host] = [written.slice(0, Math.max(0, at)), domainToASCII(written.slice(at + 1))]
  const address = `${local}@${host}`
  return local.length <= 64 && localPart.test(local) && domain.test(host) && address.length <= 254
    ? address
    : undefined
}
