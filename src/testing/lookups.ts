import { join } from 'node:path'
import {
  type BinaryExpression,
  type ElementAccessExpression,
  type Expression,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { API, type Checker, type Project, type Type, TypeFlags } from 'typescript/unstable/sync'

/** The files that may look up any word, because they check that the entry is the object's own. */
const checkedFiles = /\/(src\/core\/lookup|web\/ui\/format\/entry-of)\.ts$/

/** `table[word]` or `word in table`. */
interface Lookup {
  node: Node
  table: Expression
  word: Expression
}

/**
 * Finds the places in a project where an object is looked up by a word that is not fixed: its type is string, or it
 * was cast (`word as keyof typeof table`). Such a word can be `constructor`, which every object has. Indexing an
 * array by a number is allowed.
 *
 * @param project folder with a `tsconfig.json`
 * @param isWanted whether to check the file with this path
 */
export function uncheckedLookups(project: string, isWanted: (file: string) => boolean): string[] {
  const api = new API({ cwd: process.cwd() })
  try {
    const config = join(process.cwd(), project, 'tsconfig.json')
    const opened = api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (!opened) throw new Error(`${config} is no project`)
    return opened.rootFiles
      .filter((file) => isWanted(file) && !checkedFiles.test(file))
      .flatMap((file) => bareLookupsOf(opened, file))
  } finally {
    api.close()
  }
}

function bareLookupsOf({ program, checker }: Project, file: string): string[] {
  const source = program.getSourceFile(file)
  if (!source) return []
  const bare = lookupsIn(source).filter((lookup) => isBare(checker, lookup))
  return bare.map(({ node }) => `${file}: ${source.text.slice(node.pos, node.end).trim()}`)
}

function lookupsIn(source: SourceFile): Lookup[] {
  const found: Lookup[] = []
  const visit = (node: Node): undefined => {
    if (node.kind === SyntaxKind.ElementAccessExpression) {
      const { expression, argumentExpression } = node as ElementAccessExpression
      if (argumentExpression) found.push({ node, table: expression, word: argumentExpression })
    }
    const { operatorToken, left, right } = node as BinaryExpression
    if (node.kind === SyntaxKind.BinaryExpression && operatorToken.kind === SyntaxKind.InKeyword) {
      found.push({ node, table: right, word: left })
    }
    node.forEachChild(visit)
  }
  visit(source)
  return found
}

function isBare(checker: Checker, { table, word }: Lookup): boolean {
  if (word.kind === SyntaxKind.StringLiteral || word.kind === SyntaxKind.NumericLiteral) return false
  const [wordType, tableType] = checker.getTypeAtLocation([word, table])
  if (!wordType || !tableType) return true
  if (wordType.flags & TypeFlags.Number) return !isNumbered(checker, tableType)
  return word.kind === SyntaxKind.AsExpression || !isFixed(checker, wordType)
}

const fixed = TypeFlags.StringLiteral | TypeFlags.NumberLiteral | TypeFlags.UniqueESSymbol

/** Whether a type is a union of literal strings or numbers, or a symbol. */
function isFixed(checker: Checker, type: Type): boolean {
  if (type.isUnionType()) return type.getTypes().every((one) => isFixed(checker, one))
  if (type.isTypeParameter()) {
    const constraint = checker.getBaseConstraintOfType(type)
    return constraint !== undefined && isFixed(checker, constraint)
  }
  return (type.flags & fixed) !== 0
}

/** Whether a type has numbered entries: arrays, strings, bytes. */
function isNumbered(checker: Checker, type: Type): boolean {
  const whole = checker.getNonNullableType(type) ?? type
  if (whole.flags & TypeFlags.StringLike) return true
  return checker.getIndexInfosOfType(whole).some(({ keyType }) => keyType.flags & TypeFlags.Number)
}
