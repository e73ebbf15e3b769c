/** The head of a page with the style of `docs.css`. `folder` is the relative URL of the files of the web build. */
export function pageHead(title: string, folder: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${folder}icon.svg">
<link rel="stylesheet" href="${folder}docs.css">
</head>`
}
