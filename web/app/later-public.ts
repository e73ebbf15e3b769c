// One chunk for shared links: strangers fetch it, and nobody else.
export { LinkPage } from './link-page.tsx'
export { PublicFailure } from './public-failure.tsx'
