import type { Language } from '../language.ts'

/** Vietnamese. */
export const vi: Language = {
  codeLine: '{code} là mã {app} của bạn.',
  warning: 'Đừng cho ai biết mã này.',
  expiry: { other: 'Có hiệu lực trong {minutes} phút.' },
  subject: 'Mã xác minh {app} của bạn',
  heading: 'Để tiếp tục với {app}, hãy nhập mã này:',
  notYou: 'Nếu bạn không yêu cầu mã này, hãy bỏ qua email này. Đừng cho ai biết mã này.',
  linkText: 'Tôi muốn xác minh số điện thoại của tôi với {app}. Mã tham chiếu: {reference}',
}
