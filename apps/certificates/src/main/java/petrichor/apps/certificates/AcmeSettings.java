package petrichor.apps.certificates;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import petrichor.base.PetrichorException;

/**
 * Where certificates are ordered. The operator has accepted the authority's terms.
 *
 * @param directory of the ACME server
 * @param email for notices of the authority
 * @param authority PEM file of the authority that issued the ACME server's own certificate; empty
 *     for those that Java trusts
 */
public record AcmeSettings(URI directory, Optional<String> email, Optional<Path> authority) {
    public AcmeSettings {
        if (!"https".equals(directory.getScheme()) || directory.getHost() == null) {
            throw PetrichorException.invalid(
                    "the directory of an ACME server is a URL with https, such as"
                            + " https://acme-v02.api.letsencrypt.org/directory, and not"
                            + " \"{directory}\"",
                    "directory",
                    directory);
        }
    }
}
