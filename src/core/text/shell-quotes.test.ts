import t from 'tap'
import { shellFault } from './shell-quotes.ts'

t.test('accepts a command with variables in double quotes', (t) => {
  const lines = [
    'scan "$FILE"',
    'scan "${FILE}" "${FILE##*/}" "to $DESTINATION"',
    'scan --user="$USERNAME" -- "$FILE" >>"$SCOPE.log" 2>&1',
    'echo "$(basename "$FILE")"',
    'echo "$(case "$TRIGGER" in after_*) echo "$FILE" ;; esac)" "`echo "$FILE"`"',
    'test -e "$FILE" && { echo it\\\'s "$FILE"; } # that is "$FILE"',
    'sh -c \'touch "$FILE"\'',
    'awk \'BEGIN { print ENVIRON["FILE"] }\'',
    'echo $TRIGGER $FILES $USER "\\"$FILE\\"" \\$FILE',
    'echo done',
    '',
  ]
  for (const line of lines) t.equal(shellFault(line), undefined, line)
  t.end()
})

t.test('refuses a command with a variable that a shell would split', (t) => {
  const lines: [line: string, name: string][] = [
    ['rm $FILE', 'FILE'],
    ['rm ${FILE}', 'FILE'],
    ['rm ${FILE##*/}', 'FILE'],
    ['rm ${#FILE} ${!FILE}', 'FILE'],
    ['cp "$FILE" $DESTINATION', 'DESTINATION'],
    ['ls $SCOPE/x', 'SCOPE'],
    ['mail -s "new file" $USERNAME', 'USERNAME'],
    ['echo "a"$FILE"b"', 'FILE'],
    ['echo "\\""$FILE', 'FILE'],
    ['echo "$(rm $FILE)"', 'FILE'],
    ['echo "`rm $FILE`"', 'FILE'],
    ['echo "$(case x in x) rm $FILE ;; esac)"', 'FILE'],
    ['echo "$( (echo a); rm $FILE)"', 'FILE'],
    ["sh -c 'rm $FILE'", 'FILE'],
    ['sh -c \'echo "a" $FILE\'', 'FILE'],
    ["echo 'it is \"' $FILE '\"'", 'FILE'],
    ["echo $'\\'' $FILE '\\''", 'FILE'],
    ['echo \\# $FILE', 'FILE'],
    ['echo a#b $FILE', 'FILE'],
    ['echo ${X:- # } $FILE', 'FILE'],
    ["# don't\nrm $FILE # '", 'FILE'],
    ['true;# "\nrm $FILE', 'FILE'],
  ]
  for (const [line, name] of lines) {
    t.equal(
      shellFault(line),
      `the shell would split the value of $${name}: write "$${name}", in double quotes`,
      line,
    )
  }
  t.end()
})

t.test('checks a long command in linear time', (t) => {
  for (const text of ['"$(', "'", '(', '`"', '# ', 'case ', '\\', '${', '"\'']) {
    const line = text.repeat(50_000)
    t.ok(['string', 'undefined'].includes(typeof shellFault(line)), text)
  }
  t.end()
})
