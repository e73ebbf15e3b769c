import { createPrivateKey, X509Certificate } from 'node:crypto'
import { type CheckFinding, finding, fine } from '../findings/finding.ts'
import { readTail } from '../findings/own-files.ts'
import type { Subject } from '../findings/subject.ts'

const dayMs = 24 * 60 * 60_000
const soonDays = 30
const mostBytes = 1024 * 1024
const renew = { shell: 'certbot renew && systemctl restart coffer' }

/** Checks the certificate of `--cert`: its dates, names, chain, key and strength. */
export async function checkCertificate({ config: { cert, key }, wall }: Subject): Promise<CheckFinding[]> {
  if (!cert || !key) return [fine('tls', 'Coffer itself uses no certificate.')]
  const pem = await readTail(cert, mostBytes)
  const chain = (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (text) => new X509Certificate(text),
  )
  const [leaf] = chain
  if (!leaf)
    return [finding('tls.empty', 'error', `The file ${cert} contains no certificate.`, { names: [cert] })]
  const found = [
    ...checkDates(leaf, wall()),
    ...checkNames(leaf),
    ...checkChain(chain),
    ...checkStrength(leaf),
    ...checkKey(leaf, await readTail(key, mostBytes)),
  ]
  if (found.some(({ level }) => level !== 'advice')) return found
  return [
    fine('tls', `The certificate is valid until ${leaf.validToDate.toISOString().slice(0, 10)}.`),
    ...found,
  ]
}

function checkDates({ validFromDate, validToDate }: X509Certificate, now: number): CheckFinding[] {
  const days = Math.floor((validToDate.getTime() - now) / dayMs)
  const date = validToDate.toISOString().slice(0, 10)
  if (days < 0) {
    const text = `The certificate expired on ${date}: browsers refuse it.`
    return [finding('tls.expired', 'error', text, { lines: renew })]
  }
  if (validFromDate.getTime() > now) {
    const from = validFromDate.toISOString()
    const text = `The certificate is valid only from ${from}: check the clock of this machine.`
    return [finding('tls.future', 'error', text)]
  }
  if (days > soonDays) return []
  const text = `The certificate expires in ${days} days, on ${date}.`
  return [finding('tls.expires', 'warning', text, { lines: renew })]
}

function checkNames({ subjectAltName }: X509Certificate): CheckFinding[] {
  if (subjectAltName) return []
  const text = 'The certificate names no host as a subject alternative name: browsers refuse it.'
  return [
    finding('tls.names', 'error', text, {
      lines: { shell: "openssl req -x509 … -addext 'subjectAltName=DNS:files.example.com'" },
    }),
  ]
}

function checkChain(chain: readonly X509Certificate[]): CheckFinding[] {
  const [leaf] = chain
  const lines = { shell: 'cat certificate.pem intermediate.pem > fullchain.pem' }
  if (leaf?.ca && chain.some(({ ca }) => !ca)) {
    const text = 'The certificate of the server must be the first in the file.'
    return [finding('tls.order', 'error', text, { lines })]
  }
  for (const [at, certificate] of chain.entries()) {
    const issuer = chain[at + 1]
    if (issuer && !(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))) {
      const text = `Certificate ${at + 2} in the file has not issued certificate ${at + 1}.`
      return [finding('tls.chain', 'error', text, { lines })]
    }
  }
  if (chain.length > 1 || !leaf) return []
  if (leaf.checkIssued(leaf))
    return [finding('tls.self-signed', 'advice', 'The certificate is self-signed: browsers warn about it.')]
  const text =
    'The file contains only one certificate: some programs cannot verify it without the intermediate one.'
  return [finding('tls.alone', 'advice', text, { lines })]
}

function checkStrength({ publicKey, signatureAlgorithm = '' }: X509Certificate): CheckFinding[] {
  const { modulusLength = Number.POSITIVE_INFINITY } = publicKey.asymmetricKeyDetails ?? {}
  const weak =
    modulusLength < 2048
      ? `a key of only ${modulusLength} bits`
      : /md5|sha1(?!\d)/i.exec(signatureAlgorithm)?.[0]
  if (!weak) return []
  const text = `The certificate is weak (${weak}): browsers refuse it.`
  return [finding('tls.weak', 'error', text, { lines: renew })]
}

function checkKey(leaf: X509Certificate, pem: string): CheckFinding[] {
  try {
    if (leaf.checkPrivateKey(createPrivateKey(pem))) return []
  } catch {
    return [finding('tls.key', 'error', 'The file of --key contains no private key that can be read.')]
  }
  const text = 'The private key of --key does not belong to the first certificate of --cert.'
  return [finding('tls.key', 'error', text)]
}
