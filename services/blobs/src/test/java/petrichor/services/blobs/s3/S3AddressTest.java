package petrichor.services.blobs.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class S3AddressTest {
    @Test
    void onlyTheBucketIsRequired() {
        assertThat(S3Address.parse("s3://my-bucket"))
                .isEqualTo(new S3Address("my-bucket", "", "us-east-1", Optional.empty()));
    }

    @Test
    void everyPartIsUsed() {
        S3Address address =
                S3Address.parse(
                        "s3://my-bucket/a/b/?region=eu-central-1&endpoint=https%3A%2F%2Fhost:9000");
        assertThat(address)
                .isEqualTo(
                        new S3Address(
                                "my-bucket",
                                "a/b",
                                "eu-central-1",
                                Optional.of(URI.create("https://host:9000"))));
        assertThat(address.key("x")).isEqualTo("a/b/x");
        assertThat(S3Address.parse("s3://my-bucket").key("x")).isEqualTo("x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "my-bucket",
                "s3://",
                "s3://B",
                "s3://UPPER-CASE",
                "s3://my-bucket?zone=1",
                "s3://my-bucket?region",
                "s3://my-bucket?endpoint=ftp://host",
                "s3://my-bucket?endpoint=http://",
            })
    void otherTextIsRefused(String text) {
        assertThatThrownBy(() -> S3Address.parse(text)).hasMessageContaining("s3://BUCKET/PREFIX");
    }
}
