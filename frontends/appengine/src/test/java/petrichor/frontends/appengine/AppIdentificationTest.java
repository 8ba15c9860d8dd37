package petrichor.frontends.appengine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.apphosting.base.protos.api.RemoteApiPb.Response;
import com.google.apphosting.base.protos.api.RemoteApiPb.RpcError.ErrorCode;
import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.Scope;

final class AppIdentificationTest {
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    /** Answers with the project of the calling app. */
    private static final class Whose implements BundledService {
        @Override
        public String name() {
            return "whose";
        }

        @Override
        public CompletableFuture<byte[]> call(ServiceCall call) {
            return CompletableFuture.completedFuture(
                    (call.app().project() + " " + call.app().version())
                            .getBytes(StandardCharsets.UTF_8));
        }
    }

    private static Response call(AppCaller apps, String ticket) {
        return apps.response(ticket, "whose", "Call", ByteString.EMPTY);
    }

    private static String app(AppCaller apps, String ticket) {
        return call(apps, ticket).getResponse().toStringUtf8();
    }

    private static void assertDenied(AppCaller apps, String ticket) {
        Response response = call(apps, ticket);
        assertThat(response.hasResponse()).as(ticket).isFalse();
        assertThat(response.getRpcError().getCode())
                .as(ticket)
                .isEqualTo(ErrorCode.SECURITY_VIOLATION.getNumber());
    }

    @ParameterizedTest
    @CsvSource({
        "demo, demo",
        "demo/request-1, demo",
        "demo/, demo",
        "s~demo-2, demo-2",
        "dev~demo/x, demo",
        "example.com:demo/7, example.com:demo"
    })
    void aTicketOfDevelopmentNamesTheProject(String ticket, String project) {
        assertThat(app(new AppCaller(new Whose()), ticket)).isEqualTo(project + " v1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "7",
                "Demo",
                "d41d8cd98f00b204e9800998ecf8427e",
                "ad41d8cd98f00b204e9800998ecf8427",
                "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
                "a b",
                "/demo",
                "(default)"
            })
    void anyOtherTicketOfDevelopmentMeansTheDefaultProject(String ticket) {
        assertThat(app(new AppCaller(new Whose()), ticket))
                .isEqualTo(AppCaller.DEFAULT_PROJECT + " v1");
    }

    @Test
    void anIssuedTicketSufficesEvenIfTokensAreRequired() {
        AppCaller apps = new AppCaller(Optional.empty(), new Whose());
        String ticket = apps.tickets.issue(new CallingApp("demo", "worker", "v7"), DEADLINE);
        assertThat(app(apps, ticket)).isEqualTo("demo v7");
        apps.tickets.revoke(ticket);
        assertDenied(apps, ticket);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "demo", "demo/1", "other"})
    void ticketsThatWereNotIssuedAreRefusedIfTokensAreRequired(String ticket) {
        assertDenied(new AppCaller(Optional.empty(), new Whose()), ticket);
    }

    /** The request of the ticket may have belonged to any app. */
    @Test
    void anExpiredTicketDoesNotMeanTheDefaultProject() {
        AppCaller apps = new AppCaller(new Whose());
        String ticket = apps.tickets.issue(CallingApp.of("demo"), DEADLINE);
        assertThat(app(apps, ticket)).isEqualTo("demo v1");
        apps.tickets.revoke(ticket);
        assertDenied(apps, ticket);
    }

    @Test
    void aTokenGivesAccessToItsProjects() {
        Caller limited = new Caller("ci", Role.WRITE, new Scope.Limited(Set.of("demo"), Set.of()));
        AppCaller apps = new AppCaller(Optional.of(limited), new Whose());
        assertThat(app(apps, "demo/1")).isEqualTo("demo v1");
        assertDenied(apps, "other/1");
        assertDenied(apps, "");
        Caller reads = new Caller("reader", Role.READ, Scope.EVERYTHING);
        assertDenied(new AppCaller(Optional.of(reads), new Whose()), "demo/1");
    }
}
