import t from 'tap'
import { closeBrowser, itemNamed, start } from '#web/testing/browser.ts'
import { breadcrumbsOf } from './breadcrumbs.tsx'

t.teardown(closeBrowser)

t.test('breadcrumbs are the folders on the path', async (t) => {
  t.same(breadcrumbsOf('/'), [])
  t.same(breadcrumbsOf('/a/b/'), [
    { name: 'a', path: '/a/' },
    { name: 'b', path: '/a/b/' },
  ])
})

const deep = 'one folder/a second one/and a third folder/the fourth one/the last of all folders'

t.test('breadcrumbs show as many folders as have room, and the others in a menu', async (t) => {
  const names = deep.split('/')
  const tree = names.reduceRight<object>((inside, name) => ({ [name]: inside }), { 'a.txt': '' })
  const { page } = await start(t, tree as never, { path: `/files/${deep}/` })
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await crumbs.getByRole('link', { name: 'the last of all folders' }).waitFor()
  const count = () => crumbs.getByRole('link').count()
  await page.setViewportSize({ width: 1900, height: 800 })
  await crumbs.getByRole('link', { name: 'one folder' }).waitFor()
  t.equal(await count(), 6)
  await page.setViewportSize({ width: 760, height: 800 })
  await crumbs.getByRole('button', { name: 'Parent folders' }).click()
  await page.getByRole('menuitem', { name: 'a second one' }).click()
  await page.waitForURL('**/one%20folder/a%20second%20one/')
})

t.test('an arrow opens a menu of the folders beside, and the path can be typed', async (t) => {
  const { page } = await start(
    t,
    { here: { in: { deep: {} }, 'a.txt': '' }, there: { 'b.txt': '' } },
    { path: '/files/here/' },
  )
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await crumbs.getByRole('button', { name: 'Folders beside here' }).click()
  await page.getByRole('menuitem', { name: 'there' }).waitFor()
  await page.keyboard.type('th')
  await page.keyboard.press('Enter')
  await itemNamed(page, 'b.txt').waitFor()
  await crumbs.click({ position: { x: 400, y: 18 } })
  const field = page.getByRole('combobox', { name: 'Path' })
  await field.fill('/here/nothing')
  await page.keyboard.press('Enter')
  await page.getByText("This location can't be reached.").waitFor()
  await field.fill('here/in')
  await page.locator('datalist option[value="/here/in/"]').waitFor({ state: 'attached' })
  await page.keyboard.press('Enter')
  await itemNamed(page, 'deep').waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Edit path' }).click()
  await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT')
  t.equal(await field.inputValue(), '/here/in/')
  await page.keyboard.press('Escape')
  await crumbs.waitFor()
})
