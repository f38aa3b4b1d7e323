/** New numbers and how many of them were approved, from which the share of people who type codes is estimated. */
export interface Tally {
  readonly numbers: number
  readonly approved: number
}

export const none: Tally = { numbers: 0, approved: 0 }

export const faded = ({ numbers, approved }: Tally, share: number): Tally => ({
  numbers: numbers * share,
  approved: approved * share,
})

export const counted = ({ numbers, approved }: Tally, more: number, moreApproved = 0): Tally => ({
  numbers: Math.max(0, numbers + more),
  approved: Math.max(0, approved + moreApproved),
})

/** The likely share of people who type the code, at its lower and upper end; the fewer numbers, the wider apart. */
export const lowerShare = (tally: Tally): number => shareOf(tally, -1)
export const upperShare = (tally: Tally): number => shareOf(tally, 1)

function shareOf({ numbers, approved }: Tally, deviations: number): number {
  const share = (approved + 1.5) / (numbers + 3)
  return share + deviations * Math.sqrt((share * (1 - share)) / (numbers + 4))
}
