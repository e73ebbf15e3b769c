// One chunk for metadata in lists: columns, orders, placeholders of pictures.
export { followMetadata } from '#web/features/files/metadata/follow-metadata.ts'
