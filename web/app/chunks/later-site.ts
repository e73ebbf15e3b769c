// One chunk for the website. Only users who publish it load it.
export { FrontMatterForm } from '#web/features/site/front-matter/front-matter-form.tsx'
export { PublishTools } from '#web/features/site/publish-tools.tsx'
export { SiteBlock } from '#web/features/site/site-block.tsx'
export { SiteStatus } from '#web/features/site/site-status.tsx'
