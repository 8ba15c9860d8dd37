package petrichor.frontends.datastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
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
        assertThat(refused.charge(1 << 20)).isFalse();
        RequestBudget.Share small = budget.share();
        assertThat(small.charge(RequestBudget.SMALL_BODY_BYTES)).isTrue();
        large.forEach(RequestBudget.Share::close);
        small.close();
        refused.close();
        assertThat(process.bytesUsed()).isZero();
        assertThat(budget.bytes()).isZero();
    }

    @Test
    void oneConnectionDoesNotGetItAll() {
        MemoryBudget connection = budget.connection();
        RequestBudget.Share one = budget.share(connection);
        RequestBudget.Share next = budget.share(connection);
        assertThat(one.charge(8 << 20)).isTrue();
        assertThat(next.charge(8 << 20)).isFalse();
        assertThat(budget.share(budget.connection()).charge(8 << 20)).isTrue();
        one.close();
        assertThat(connection.bytesUsed()).isZero();
    }

    @Test
    void whatNeverFitsIsNotToBeRepeated() {
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
        assertThat(share.charge(1_001)).isFalse();
        assertThat(process.bytesUsed()).isZero();
        assertThat(share.charge(1_000)).isTrue();
        share.close();
        assertThat(share.charge(1)).isFalse();
        assertThat(process.bytesUsed()).isZero();
    }

    private void assertRefused(long memory, ErrorCode code) {
        assertThatThrownBy(() -> budget.parsed(memory))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused -> assertThat(refused.code()).isEqualTo(code));
    }
}
