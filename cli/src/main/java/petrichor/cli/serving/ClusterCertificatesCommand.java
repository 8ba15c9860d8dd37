package petrichor.cli.serving;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import petrichor.base.PetrichorException;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.rpc.CertificateAuthority;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Creates certificates for connections between servers. The key of the authority stays in its
 * folder; each server needs only its own certificate and key.
 */
@Command(
        name = "certificates",
        mixinStandardHelpOptions = true,
        description = {
            "Create or renew certificates for connections between servers.",
            "The folder contains the authority of the cluster, and a certificate and key for each"
                    + " server."
        })
final class ClusterCertificatesCommand implements Callable<Integer> {
    private static final int DAYS_MAX = 36_500;
    private static final int AUTHORITY_DAYS = 3_650;

    @Parameters(
            arity = "1..*",
            paramLabel = "SERVER",
            description = "Name of a server, such as its host; names its files.")
    private List<String> servers = new ArrayList<>();

    @Option(
            names = "--folder",
            description = "Folder of the authority. Default: cluster-certificates")
    private Path folder = Path.of("cluster-certificates");

    @Option(
            names = "--days",
            description = "Validity of the servers' certificates. Default: ${DEFAULT-VALUE}")
    private int days = 365;

    @Override
    public Integer call() {
        if (days < 1 || days > DAYS_MAX) {
            throw PetrichorException.invalid("--days must be from 1 to " + DAYS_MAX);
        }
        CertificateAuthority authority =
                CertificateAuthority.openOrCreate(folder, Math.max(AUTHORITY_DAYS, days));
        for (String server : servers) {
            CertificateAuthority.Issued issued = authority.issue(server, days);
            System.out.println("# " + server + ": in its petrichor.toml, before any [section]");
            System.out.println("cluster.certificate = \"" + issued.certificate() + "\"");
            System.out.println("cluster.key = \"" + issued.key() + "\"");
            System.out.println("cluster.authority = \"" + authority.certificate() + "\"");
        }
        Terminal.open(false)
                .say(
                        "copy to each server its certificate, its key and "
                                + authority.certificate()
                                + "; keep "
                                + authority.key()
                                + " elsewhere");
        return ExitCode.OK.number();
    }
}
