# What no API of Redmine can set up: that there is one, and who may use it. Run by scripts/with-redmine.sh.
# Mails are made in threads of their own, and SQLite refuses one of two that write: so no threads here, no mails later,
# and a journal in which reading disturbs nobody.
ActiveJob::Base.queue_adapter = :inline
ActiveRecord::Base.connection.execute('PRAGMA journal_mode=WAL')
Redmine::DefaultData::Loader.load('en')
Setting.notified_events = []
Setting.rest_api_enabled = '1'
Setting.text_formatting = 'common_mark'
Setting.attachment_max_size = (100 * 1024).to_s # KB

password = ENV.fetch('CONCORDAT_REDMINE_PASSWORD')
make_user = lambda do |login, firstname, lastname, admin = false|
  user = User.new(firstname: firstname, lastname: lastname, mail: "#{login}@example.net", language: 'en')
  user.login = login
  user.password = user.password_confirmation = password
  user.must_change_passwd = false
  user.admin = admin
  user.save!
  user
end
make_project = lambda do |identifier, public|
  project = Project.new(name: identifier.capitalize, is_public: public)
  project.identifier = identifier
  project.enabled_module_names = ['issue_tracking']
  project.trackers = Tracker.all
  project.save!
  project
end

make_user.call('root', 'Root', 'Administrator', true)
manager = Role.find_by!(name: 'Manager')
users = [%w[sync Concordat Sync], %w[ada Ada Lovelace]].map { |arguments| make_user.call(*arguments) }
%w[helpdesk workshop depot].each do |identifier|
  project = make_project.call(identifier, false)
  users.each { |user| Member.create!(project: project, principal: user, roles: [manager]) }
end
# Nobody but the administrator may see what is in here.
make_project.call('secret', false)
