package petrichor.kv.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.failure;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreTls;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.TestCertificates;

/** DynamoDB Local behind an HTTPS endpoint that requires client certificates. */
@Timeout(240)
class DynamoDbTlsTest {
    private static final TestCertificates CERTIFICATES = TestCertificates.make();

    private static DynamoDbProxy proxy;

    @BeforeAll
    static void startProxy() {
        StoreTls server =
                new StoreTls(
                        Optional.of(CERTIFICATES.authority()),
                        Optional.of(CERTIFICATES.server()),
                        Optional.of(CERTIFICATES.serverKey()),
                        false);
        proxy = new DynamoDbProxy(TestDynamoDb.newUrl(), server.context());
    }

    @AfterAll
    static void stopProxy() {
        proxy.close();
    }

    private static KeyValueStore open(String url) {
        return new DynamoDbPlugin().open(StoreUrl.parse(url));
    }

    @Test
    void rowsTravelOverTlsAndRetriesAreCounted() {
        try (KeyValueStore store =
                open(proxy.url() + "?" + CERTIFICATES.options() + "&timeout=60s")) {
            store.createTable(TABLE);
            store.write(put("a", "1"));
            assertThat(value(store, "a")).isEqualTo("1");
            long before = store.retries();
            proxy.next(
                    2,
                    "GetItem",
                    new DynamoDbProxy.Fault.Refuses(400, "ProvisionedThroughputExceededException"));
            assertThat(value(store, "a")).isEqualTo("1");
            assertThat(store.retries()).isGreaterThanOrEqualTo(before + 2);
        }
    }

    @Test
    void wrongCertificatesAreReportedImmediately() {
        String options = "?" + CERTIFICATES.options() + "&timeout=15m";
        String untrusted =
                options.replace(
                        CERTIFICATES.authority().toString(), CERTIFICATES.stranger().toString());
        assertThat(
                        failure(
                                ErrorCode.FAILED_PRECONDITION,
                                () -> open(proxy.url() + untrusted).close()))
                .contains("certificate is not trusted");
        String named = proxy.url().replace("127.0.0.1", "localhost");
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> open(named + options).close()))
                .contains("does not name the host");
        assertThat(
                        failure(
                                ErrorCode.INVALID_ARGUMENT,
                                () -> open(named + options + "&tls-verify-host=off").close()))
                .contains("not supported for DynamoDB");
    }

    @Test
    void requestsWithoutAClientCertificateAreRefused() {
        assertThatThrownBy(
                        () ->
                                open(proxy.url()
                                                + "?"
                                                + CERTIFICATES.trustOptions()
                                                + "&timeout=5s")
                                        .close())
                .isInstanceOf(PetrichorException.class);
    }
}
