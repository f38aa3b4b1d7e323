/** The two functions of React that the hook calls, so that it can be built where React is not installed. */
declare module 'react' {
  export function useState<Value>(create: () => Value): [Value, (value: Value) => void]
  export function useSyncExternalStore<Value>(
    subscribe: (listener: () => void) => () => void,
    getValue: () => Value,
    getServerValue: () => Value,
  ): Value
}
