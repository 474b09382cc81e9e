// What each of these prints may be longer than the screen, and holds no secret.

extension PagedCommand {
    var isListing: Bool { true }
}

extension AccountListCommand: PagedCommand { var pagerOptions: GlobalOptions { global } }
extension AccountShowCommand: PagedCommand { var pagerOptions: GlobalOptions { global } }
extension BindingsCommand: PagedCommand { var pagerOptions: GlobalOptions { global } }
extension ClientListCommand: PagedCommand { var pagerOptions: GlobalOptions { global } }
extension GroupListCommand: PagedCommand { var pagerOptions: GlobalOptions { global } }
extension HistoryShowCommand: PagedCommand { var pagerOptions: GlobalOptions { global } }
extension MirrorListCommand: PagedCommand { var pagerOptions: GlobalOptions { global } }
extension ProgramListCommand: PagedCommand { var pagerOptions: GlobalOptions { global } }
extension ProviderListCommand: PagedCommand { var pagerOptions: GlobalOptions { global } }
extension SetupCommand: PagedCommand { var pagerOptions: GlobalOptions { global } }
extension SlotListCommand: PagedCommand { var pagerOptions: GlobalOptions { global } }
extension StatusCommand: PagedCommand { var pagerOptions: GlobalOptions { global } }
extension SyncStatusCommand: PagedCommand { var pagerOptions: GlobalOptions { options.global } }
extension WhichCommand: PagedCommand { var pagerOptions: GlobalOptions { global } }

extension BackupCommand: PagedCommand {
    var isListing: Bool { list }
    var pagerOptions: GlobalOptions { global }
}

extension DoctorCommand: PagedCommand {
    var isListing: Bool { !repair && !acceptRollback && !acceptVault && !acceptLoss }
    var pagerOptions: GlobalOptions { global }
}

extension LogCommand: PagedCommand {
    var isListing: Bool { !beginAnew }
    var pagerOptions: GlobalOptions { global }
}

extension UndoCommand: PagedCommand {
    var isListing: Bool { list }
    var pagerOptions: GlobalOptions { global }
}
