// How a link was used. Only users who open the details of a link load it.
export { LinkUse } from '#web/features/shares/use/link-use.tsx'
