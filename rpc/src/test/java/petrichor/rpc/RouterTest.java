package petrichor.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.base.Cancellation;
import petrichor.base.NotOwner;

class RouterTest {
    private static final Owner.There OTHER = new Owner.There(new Peer("other", "127.0.0.1:1"), 7);

    /** A directory whose database is free: the server that looks for the owner claims it. */
    private static final class FreeDatabase implements OwnerDirectory {
        private @Nullable Owner known;

        FreeDatabase(Owner known) {
            this.known = known;
        }

        @Override
        public Optional<Owner> known(String database) {
            return Optional.ofNullable(known);
        }

        @Override
        public Owner find(String database, boolean take) {
            Owner here = new Owner.Here(8);
            known = here;
            return here;
        }

        @Override
        public void invalidate(String database, Owner.There owner) {
            if (owner.equals(known)) {
                known = null;
            }
        }
    }

    /** The former owner forwards calls here after a handover; no other call would correct this. */
    @Test
    void aServerThatIsTakenForTheOwnerStopsBelievingInAnother() {
        AtomicBoolean executed = new AtomicBoolean();
        RoutedCall call = new CallOfOwner(executed);
        try (PeerChannels peers =
                new PeerChannels(PeerAuthentication.NONE, ProtocolVersions.SUPPORTED)) {
            Router router = new Router(new FreeDatabase(OTHER), peers, Duration.ofMinutes(1));
            CompletableFuture<byte[]> first = router.arrived(call);
            assertThatThrownBy(first::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(NotOwner.class);
            assertThat(executed).isFalse();

            router.arrived(call).join();
            assertThat(executed).isTrue();
        }
    }

    private record CallOfOwner(AtomicBoolean executed) implements RoutedCall {
        @Override
        public String method() {
            return PeerCall.METHOD;
        }

        @Override
        public String database() {
            return PeerCall.DATABASE;
        }

        @Override
        public byte[] body() {
            return new byte[0];
        }

        @Override
        public Locality locality() {
            return Locality.OWNER;
        }

        @Override
        public Cancellation cancellation() {
            return Cancellation.never();
        }

        @Override
        public @Nullable String traceparent() {
            return null;
        }

        @Override
        public CompletableFuture<byte[]> execute() {
            executed.set(true);
            return CompletableFuture.completedFuture(new byte[0]);
        }
    }
}
