package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.failure;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;

/**
 * Conformance of a plugin with TLS, against a real server on 127.0.0.1 with the certificates of
 * {@link #certificates}. Addresses have a timeout of minutes: errors that must be immediate appear
 * long before it.
 */
@Timeout(240)
public interface TlsConformance {
    TestCertificates certificates();

    /** The address of the server's TLS port, with these options appended. */
    StoreUrl address(String options);

    KeyValueStore open(StoreUrl url);

    /** Whether the server refuses TLS clients without a certificate. */
    boolean wantsClientCertificates();

    private StoreUrl patient(String options) {
        return address(options + "&timeout=15m");
    }

    @Test
    default void rowsTravelOverTls() {
        try (KeyValueStore store = open(address(certificates().options() + "&timeout=60s"))) {
            store.createTable(TABLE);
            store.write(put("a", "1"));
            assertThat(value(store, "a")).isEqualTo("1");
        }
    }

    @Test
    default void certificateOfAnUnknownAuthorityIsRefusedImmediately() {
        String options =
                certificates()
                        .options()
                        .replace(
                                certificates().authority().toString(),
                                certificates().stranger().toString());
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> open(patient(options)).close()))
                .contains("certificate is not trusted")
                .contains("tls-trust");
    }

    @Test
    default void certificateForAnotherHostIsRefusedImmediately() {
        StoreUrl named = StoreUrl.parse(withHost(patient(certificates().options()), "localhost"));
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> open(named).close()))
                .contains("does not name the host");
        StoreUrl careless =
                StoreUrl.parse(
                        withHost(
                                address(
                                        certificates().options()
                                                + "&tls-verify-host=off&timeout=60s"),
                                "localhost"));
        open(careless).close();
    }

    private static String withHost(StoreUrl url, String host) {
        StringBuilder text = new StringBuilder(url.scheme()).append("://");
        url.user().ifPresent(user -> text.append(user).append(':'));
        url.password().ifPresent(password -> text.append(password).append('@'));
        text.append(host).append(':').append(url.nodes().getFirst().portOr(0));
        text.append('/').append(url.name());
        String separator = "?";
        for (var option : url.options().entrySet()) {
            text.append(separator).append(option.getKey()).append('=').append(option.getValue());
            separator = "&";
        }
        return text.toString();
    }

    @Test
    default void clientCertificateIsPresented() {
        StoreUrl without = address(certificates().trustOptions() + "&timeout=20s");
        if (wantsClientCertificates()) {
            assertThatThrownBy(() -> open(without).close()).isInstanceOf(PetrichorException.class);
        } else {
            open(without).close();
        }
    }

    @Test
    default void wrongPasswordIsReportedImmediately() {
        StoreUrl wrong = patient(certificates().options()).withPassword("gu3ssed");
        assertThat(failure(ErrorCode.UNAUTHENTICATED, () -> open(wrong).close()))
                .contains("password")
                .doesNotContain("gu3ssed");
    }
}
