// One chunk for shared links: strangers fetch it, and nobody else.
export { PublicPage } from '#web/features/public/public-page.tsx'
export { PublicFailure } from './public-failure.tsx'
