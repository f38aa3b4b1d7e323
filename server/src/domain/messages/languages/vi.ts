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
  approved:
    'Số điện thoại của bạn đã được xác minh cho {app}. Bạn có thể quay lại. Nếu không phải bạn, hãy liên hệ ngay với {app}.',
  linkExpired: 'Liên kết này đã hết hạn. Vui lòng quay lại và yêu cầu liên kết mới.',
}
