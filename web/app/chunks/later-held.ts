// One chunk for the files that a virus scanner holds back. Only users who open this page load it.
export { HeldPage } from '#web/features/held/held-page.tsx'
