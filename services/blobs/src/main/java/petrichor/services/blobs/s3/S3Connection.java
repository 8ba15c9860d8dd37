package petrichor.services.blobs.s3;

import java.time.Duration;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/**
 * Clients of object stores with the S3 protocol. Credentials are those that Amazon's SDK finds:
 * environment variables, files, or the role of the machine. Stateless.
 */
public final class S3Connection {
    private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);

    private S3Connection() {}

    /**
     * Does not contact the store. The caller closes the client.
     *
     * @param callWithin includes repetitions
     * @param attemptWithin of each of them
     */
    public static S3Client open(S3Address address, Duration callWithin, Duration attemptWithin) {
        S3ClientBuilder builder =
                S3Client.builder()
                        .region(Region.of(address.region()))
                        .forcePathStyle(address.endpoint().isPresent())
                        // Contents have checksums; not every server knows those of the protocol.
                        .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                        .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                        .overrideConfiguration(
                                settings ->
                                        settings.apiCallTimeout(callWithin)
                                                .apiCallAttemptTimeout(attemptWithin))
                        .httpClientBuilder(
                                UrlConnectionHttpClient.builder()
                                        .connectionTimeout(CONNECT_WITHIN)
                                        .socketTimeout(attemptWithin));
        address.endpoint().ifPresent(builder::endpointOverride);
        return builder.build();
    }
}
