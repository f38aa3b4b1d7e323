import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { optionTypes, UsageError } from './command.ts'
import { commandsWith } from './commands.ts'
import { parse } from './parse.ts'

const commands = commandsWith('')

const complaintAbout = (args: readonly string[]): string => {
  try {
    parse(commands, args)
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
  return assert.fail(`nothing is said about ${args.join(' ')}`)
}

const everyOption = Object.entries(commands).flatMap(([command, { options = {} }]) =>
  Object.keys(optionTypes)
    .filter((option) => Object.hasOwn(options, option))
    .map((option) => ({
      command,
      option,
      type: Object.entries(optionTypes).find(([name]) => name === option)?.[1].type,
    })),
)

describe('an option that is given wrongly is named, with what to do', () => {
  for (const { command, option, type } of everyOption) {
    const flag = `--${option}`
    if (type === 'string') {
      it(`${command} ${flag} without its value`, () => {
        for (const rest of [[flag], [flag, ''], [flag, ' '], [`${flag}=`], [flag, '--json'], [flag, '-x']]) {
          const said = complaintAbout([command, ...rest])
          assert.ok(said.startsWith(`${flag} needs a value: `), said)
          assert.ok(said.endsWith(`. See: countersign help ${command}`), said)
        }
      })
      it(`${command} ${flag} twice`, () => {
        const said = complaintAbout([command, flag, 'one', flag, 'two'])
        assert.equal(said, `${flag} is there more than once. Say it once.`)
      })
    } else {
      it(`${command} ${flag} with a value`, () => {
        const said = complaintAbout([command, `${flag}=yes`])
        assert.equal(said, `${flag} takes no value. Write it alone: ${flag}`)
      })
    }
  }

  it('a negative number is a value, which the command itself judges', () => {
    assert.equal(parse(commands, ['create-company', 'Acme', '--balance', '-5']).options.balance, '-5')
  })

  it('a word after -- is a word, whatever it begins with', () => {
    const { words, options } = parse(commands, ['create-company', '--json', '--', '--balance'])
    assert.deepEqual([words, { ...options }], [['--balance'], { json: true }])
  })
})

describe('help', () => {
  it('is given wherever it is asked for, whatever else is wrong', () => {
    for (const { command, option } of everyOption)
      for (const asks of ['--help', '-h'])
        for (const args of [
          [command, asks],
          [asks, command],
          [command, `--${option}`, asks],
          [command, '--nope', asks],
        ]) {
          const { name, words } = parse(commands, args)
          assert.deepEqual([name, words[0]], ['help', command], args.join(' '))
        }
  })
})
