package petrichor.frontends.datastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;

class RequestBudgetTest {
    private final MemoryBudget process = MemoryBudget.of("process", 100 << 20);
    private final RequestBudget budget = new RequestBudget(process, 64 << 20);

    @Test
    void largeRequestsDoNotKeepSmallOnesOut() {
        List<RequestBudget.Share> large = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            RequestBudget.Share share = budget.share();
            share.charge(1 << 20);
            large.add(share);
        }
        RequestBudget.Share refused = budget.share();
        assertThat(refused.charge(1 << 20)).isNotNull();
        RequestBudget.Share small = budget.share();
        assertThat(small.charge(RequestBudget.SMALL_BODY_BYTES)).isNull();
        large.forEach(RequestBudget.Share::close);
        small.close();
        refused.close();
        assertThat(process.bytesUsed()).isZero();
        assertThat(budget.bytes()).isZero();
    }

    @Test
    void oneConnectionCannotUseTheWholeBudget() {
        ConnectionBudget connection = budget.connection();
        RequestBudget.Share one = budget.share(connection);
        RequestBudget.Share next = budget.share(connection);
        assertThat(one.charge(8 << 20)).isNull();
        assertRefusal(next.charge(8 << 20), ErrorCode.UNAVAILABLE);
        assertThat(budget.share(budget.connection()).charge(8 << 20)).isNull();
        one.close();
        assertThat(connection.requests().bytesUsed()).isZero();
    }

    @Test
    void aRequestBeyondItsConnectionsShareIsNotRetryable() {
        RequestBudget.Share alone = budget.share(budget.connection());
        assertThat(alone.charge(8 << 20)).isNull();
        assertRefusal(alone.charge(8 << 20), ErrorCode.RESOURCE_EXHAUSTED);
        alone.close();
        assertThat(process.bytesUsed()).isZero();
    }

    @Test
    void unreadResponsesOfOneClientDoNotExhaustTheBudget() {
        ConnectionBudget lazy = budget.connection();
        try (MemoryBudget.Reservation held = lazy.response(7 << 20)) {
            assertThat(held.bytes()).isEqualTo(7 << 20);
            assertThatThrownBy(() -> lazy.response(2 << 20))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            refused -> assertRefusal(refused, ErrorCode.UNAVAILABLE));
        }
        assertThat(lazy.responses().bytesUsed()).isZero();
    }

    @Test
    void aRequestThatNeverFitsIsNotRetryable() {
        assertRefused(31L << 20, ErrorCode.RESOURCE_EXHAUSTED);
        try (MemoryBudget.Reservation most = budget.parsed(20 << 20)) {
            assertThat(most.bytes()).isEqualTo(20 << 20);
            assertRefused(20 << 20, ErrorCode.UNAVAILABLE);
        }
        assertThat(process.bytesUsed()).isZero();
    }

    @Test
    void aRefusedChargeLeavesNothingBehind() {
        RequestBudget tight = new RequestBudget(process, 1_000);
        RequestBudget.Share share = tight.share();
        assertThat(share.charge(1_001)).isNotNull();
        assertThat(process.bytesUsed()).isZero();
        assertThat(share.charge(1_000)).isNull();
        share.close();
        assertThat(share.charge(1)).isNotNull();
        assertThat(process.bytesUsed()).isZero();
    }

    private void assertRefused(long memory, ErrorCode code) {
        assertThatThrownBy(() -> budget.parsed(memory))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused -> assertThat(refused.code()).isEqualTo(code));
    }

    private static void assertRefusal(@Nullable PetrichorException refusal, ErrorCode code) {
        assertThat(refusal)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        known -> assertThat(known.code()).isEqualTo(code));
    }
}
