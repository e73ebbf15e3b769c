import manifest from '../../package.json' with { type: 'json' }

/** Coffer's version, as in `0.1.0`. */
export const version = manifest.version
