package petrichor.kv.dynamodb;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreTls;
import petrichor.kv.StoreUrl;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;

/**
 * A parsed DynamoDB address.
 *
 * @param name of the store in errors
 * @param endpoint uses TLS unless it is on this machine or the address disables TLS
 * @param prefix of the names of the store's tables
 * @param timeout longest wait for one request, including all its attempts
 * @param credentials the address's user and password; empty: the SDK's credential chain
 */
record DynamoDbAddress(
        String name,
        URI endpoint,
        String prefix,
        String region,
        Duration timeout,
        Optional<AwsBasicCredentials> credentials,
        Optional<StoreTls> tls) {
    static final String SCHEME = "dynamodb";

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final String REGION = "us-east-1";

    /**
     * DynamoDB's names have 3 to 255 of these characters; Petrichor appends up to 49 to the prefix.
     */
    private static final Pattern PREFIX = Pattern.compile("[a-zA-Z0-9_.-]{1,200}");

    static DynamoDbAddress of(StoreUrl url) {
        url.requireOptions(StoreTls.optionsAnd(Set.of("timeout", "region")));
        String prefix = url.name().isEmpty() ? "petrichor" : url.name();
        if (!PREFIX.matcher(prefix).matches()) {
            throw PetrichorException.invalid(
                    "'{prefix}' cannot be the prefix of table names of {url}: use 1 to 200 letters,"
                            + " digits, _ . and -",
                    "prefix",
                    prefix,
                    "url",
                    url);
        }
        if (url.user().isPresent() != url.password().isPresent()) {
            throw PetrichorException.invalid(
                    "the address {url} needs both the access key's id as user and its secret as"
                            + " password, or neither to use the credential chain of the AWS SDK",
                    "url",
                    url);
        }
        StoreUrl.Node node = url.nodes().getFirst();
        Optional<StoreTls> tls = StoreTls.of(url, !isThisMachine(node.host()));
        if (tls.isPresent() && !tls.get().verifyHost()) {
            throw PetrichorException.invalid(
                    "tls-verify-host=off is not supported for DynamoDB, whose SDK always verifies"
                            + " the host name; use a host that the certificate names");
        }
        URI endpoint =
                URI.create(
                        (tls.isPresent() ? "https://" : "http://")
                                + node.host()
                                + node.port().map(port -> ":" + port).orElse(""));
        return new DynamoDbAddress(
                url.toString(),
                endpoint,
                prefix,
                url.option("region", REGION),
                url.duration("timeout", TIMEOUT),
                url.user()
                        .flatMap(
                                id ->
                                        url.password()
                                                .map(
                                                        secret ->
                                                                AwsBasicCredentials.create(
                                                                        id, secret))),
                tls);
    }

    private static boolean isThisMachine(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException elsewhere) {
            return false;
        }
    }
}
