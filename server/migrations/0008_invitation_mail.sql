-- One more app of the installation's own, through which invited people are told by mail. Its limits are below those
-- of signing in, with which it shares the count of a recipient: invitations never keep anybody from their code.
insert into apps (app_id, company_id, name, settings)
values ('app_0000000000dashb0ard1nv1te0', 'cmp_0000000000dashb0ardsgn1n00', 'Countersign',
  '{"routing": {"default": ["email"]},
    "channels": {"sms": {"enabled": false}, "whatsapp": {"enabled": false}, "telegram": {"enabled": false}},
    "max_sends": 1,
    "limits": {"recipient": [{"max": 2, "window_s": 600}, {"max": 5, "window_s": 86400}],
               "app": [{"max": 60, "window_s": 60}], "app_without_ip": [{"max": 20, "window_s": 60}]}}');
