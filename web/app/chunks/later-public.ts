// One chunk for shares and public errors. Only visitors and users who open a share load it.
export { LinkPage } from '#web/app/pages/link/link-page.tsx'
export { PublicFailure } from '#web/app/pages/link/public-failure.tsx'
