package petrichor.frontends.appengine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

final class TicketsTest {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final CallingApp DEMO = CallingApp.of("demo");

    private final AtomicLong nanos = new AtomicLong();
    private final TimeSource time =
            new TimeSource() {
                @Override
                public long epochMicros() {
                    return TimeUnit.NANOSECONDS.toMicros(nanos.get());
                }

                @Override
                public long monotonicNanos() {
                    return nanos.get();
                }
            };
    private final Tickets tickets = new Tickets(time, new SplittableRandom(1), Optional.empty());

    private Tickets of(int server, String secret) {
        return new Tickets(
                time, new SplittableRandom(server), Optional.of(new TicketSignature(secret)));
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void aTicketNamesItsAppUntilTheDeadlineAndAGracePeriod() {
        String ticket = tickets.issue(DEMO, DEADLINE);
        assertThat(ticket).matches("ticket\\.[0-9a-f]{32}");
        pass(DEADLINE.plus(Tickets.GRACE).minusMillis(1));
        assertThat(tickets.app(ticket)).contains(DEMO);
        pass(Duration.ofMillis(1));
        assertThat(tickets.app(ticket)).isEmpty();
    }

    @Test
    void aRevokedTicketIsNotValid() {
        String ticket = tickets.issue(DEMO, DEADLINE);
        String other = tickets.issue(DEMO, DEADLINE);
        tickets.revoke(ticket);
        assertThat(tickets.app(ticket)).isEmpty();
        assertThat(tickets.app(other)).contains(DEMO);
        assertThat(tickets.app(other + "0")).isEmpty();
    }

    @Test
    void everyServerOfAClusterVerifiesATicketUntilItExpires() {
        String ticket = of(1, "secret").issue(DEMO, DEADLINE);
        Tickets other = of(2, "secret");
        assertThat(other.app(ticket)).contains(DEMO);
        assertThat(tickets.app(ticket)).as("a server without the secret").isEmpty();
        assertThat(of(2, "another secret").app(ticket)).isEmpty();
        pass(DEADLINE.plus(Tickets.GRACE).minusMillis(1));
        assertThat(other.app(ticket)).contains(DEMO);
        pass(Duration.ofMillis(1));
        assertThat(other.app(ticket)).isEmpty();
    }

    @Test
    void aRevokedTicketIsNotValidOnItsOwnServerDespiteItsSignature() {
        Tickets issuer = of(1, "secret");
        String ticket = issuer.issue(DEMO, DEADLINE);
        issuer.revoke(ticket);
        assertThat(issuer.app(ticket)).isEmpty();
    }

    @Test
    void aChangedTicketIsNotValid() {
        String ticket = of(1, "secret").issue(DEMO, DEADLINE);
        Tickets other = of(2, "secret");
        assertThat(other.app(ticket)).isPresent();
        for (int i = 40; i < ticket.length(); i++) {
            char changed = ticket.charAt(i) == 'A' ? 'Q' : 'A';
            String wrong = ticket.substring(0, i) + changed + ticket.substring(i + 1);
            assertThat(other.app(wrong)).as(wrong).isEmpty();
            assertThat(other.app(ticket.substring(0, i))).isEmpty();
        }
    }

    @Test
    void ticketsAreUnique() {
        Set<String> all = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            assertThat(all.add(tickets.issue(DEMO, DEADLINE))).isTrue();
        }
    }

    @Test
    void expiredTicketsAreRemoved() {
        for (int i = 0; i < 5_000; i++) {
            tickets.issue(DEMO, DEADLINE);
        }
        pass(DEADLINE.plus(Tickets.GRACE));
        for (int i = 0; i < 1_000; i++) {
            tickets.issue(DEMO, DEADLINE);
        }
        assertThat(tickets.size()).isLessThanOrEqualTo(2_000);
    }

    @Test
    void theNumberOfTicketsIsLimited() {
        for (int i = 0; i < Tickets.TICKETS_MAX; i++) {
            tickets.issue(DEMO, DEADLINE);
        }
        assertThatThrownBy(() -> tickets.issue(DEMO, DEADLINE))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("100000 requests");
        pass(DEADLINE.plus(Tickets.GRACE));
        assertThat(tickets.app(tickets.issue(DEMO, DEADLINE))).contains(DEMO);
    }
}
