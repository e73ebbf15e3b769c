// One chunk for regular expressions that run in linear time, so that no pattern can freeze the page.
export { RE2JS } from 're2js'
