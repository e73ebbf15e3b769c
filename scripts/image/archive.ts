import { createHash } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { debianArch } from './debian.ts'
import { fixedTime, type Layer, writeLayer, writeTar } from './layers.ts'
import { volumes } from './root-files.ts'

/** The input of `writeImage`. */
export interface ImageParts {
  readonly version: string
  readonly arch: keyof typeof debianArch
  /** One folder for each layer, the lowest first. */
  readonly folders: readonly string[]
  /** The folder for intermediate files. */
  readonly work: string
  /** The path of the archive. */
  readonly output: string
  /** The level of compression, from 1 to 9. */
  readonly level: number
}

const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const

/**
 * Writes an image as an archive in the layout of OCI (image-spec, "Image Layout"). `manifest.json` is for `docker load`
 * before version 25, which reads only its own layout.
 */
export async function writeImage({ version, arch, folders, work, output, level }: ImageParts): Promise<void> {
  const layout = path.join(work, 'layout')
  const blobs = path.join(layout, 'blobs', 'sha256')
  await rm(layout, { recursive: true, force: true })
  await mkdir(blobs, { recursive: true })
  const layers: Layer[] = []
  for (const folder of folders) layers.push(await writeLayer(folder, { blobs, level }))
  const config = await writeBlob(blobs, types.config, configOf(version, arch, layers))
  const manifest = await writeBlob(blobs, types.manifest, {
    schemaVersion: 2,
    mediaType: types.manifest,
    config,
    layers: layers.map(({ digest, size }) => ({ mediaType: types.layer, digest, size })),
  })
  const name = `coffer:${version}`
  const annotations = {
    'io.containerd.image.name': `docker.io/library/${name}`,
    'org.opencontainers.image.ref.name': version,
  }
  await writeJson(path.join(layout, 'index.json'), {
    schemaVersion: 2,
    mediaType: types.index,
    manifests: [{ ...manifest, annotations, platform: { architecture: debianArch[arch], os: 'linux' } }],
  })
  await writeJson(path.join(layout, 'oci-layout'), { imageLayoutVersion: '1.0.0' })
  const place = (digest: string) => `blobs/sha256/${digest.replace('sha256:', '')}`
  await writeJson(path.join(layout, 'manifest.json'), [
    { Config: place(config.digest), RepoTags: [name], Layers: layers.map(({ digest }) => place(digest)) },
  ])
  await writeTar(layout, output)
}

/** How a container is started from the image (image-spec, "Image Configuration"). */
function configOf(version: string, arch: ImageParts['arch'], layers: readonly Layer[]) {
  const second = 1_000_000_000
  return {
    created: fixedTime.toISOString(),
    architecture: debianArch[arch],
    os: 'linux',
    config: {
      // Not User: the program starts as root to become the user of PUID and PGID. With --user it never is root.
      Entrypoint: ['/usr/bin/coffer', 'container'],
      Env: ['PATH=/usr/bin', 'HOME=/config', 'COFFER_CONTAINER=yes'],
      WorkingDir: '/srv',
      ExposedPorts: { '80/tcp': {} },
      Volumes: Object.fromEntries(volumes.map((name) => [`/${name}`, {}])),
      StopSignal: 'SIGTERM',
      Healthcheck: {
        Test: ['CMD', '/usr/bin/coffer', 'health'],
        Interval: 30 * second,
        Timeout: 10 * second,
        StartPeriod: 20 * second,
        Retries: 3,
      },
      Labels: {
        'org.opencontainers.image.title': 'Coffer',
        'org.opencontainers.image.description': 'A self-hosted web file manager',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created: fixedTime.toISOString(), created_by: 'npm run image' })),
  }
}

/** Writes a JSON document under its hash, and returns its descriptor. */
async function writeBlob(blobs: string, mediaType: string, document: object) {
  const text = JSON.stringify(document)
  const hash = createHash('sha256').update(text).digest('hex')
  await writeFile(path.join(blobs, hash), text)
  return { mediaType, digest: `sha256:${hash}`, size: Buffer.byteLength(text) }
}

async function writeJson(file: string, document: object): Promise<void> {
  await writeFile(file, JSON.stringify(document))
}
