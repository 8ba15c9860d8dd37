package petrichor.transactions.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

class ReadPermitsTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @Test
    void aReaderWaitsForOthersThatTookAll() throws Exception {
        ReadPermits permits = new ReadPermits(ReadPermits.ROWS_AT_ONCE, LONG);
        permits.acquire(ReadPermits.ROWS_AT_ONCE);
        CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> permits.acquire(1));
        assertThat(waiting).isNotDone();
        permits.release(ReadPermits.ROWS_AT_ONCE);
        waiting.get(LONG.toSeconds(), TimeUnit.SECONDS);
        permits.acquire(ReadPermits.ROWS_AT_ONCE - 1);
    }

    @Test
    void aReaderThatWaitedTooLongIsRefused() {
        ReadPermits permits = new ReadPermits(1, Duration.ofMillis(1));
        permits.acquire(ReadPermits.ROWS_AT_ONCE);
        assertThatThrownBy(() -> permits.acquire(1))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }
}
