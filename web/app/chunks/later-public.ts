// One chunk for shared links: strangers fetch it, and nobody else.
export { LinkPage } from '#web/app/pages/link-page.tsx'
export { PublicFailure } from '#web/app/pages/public-failure.tsx'
