package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Ranges of consecutive ids. */
class SequentialIdsTest {
    private final Entities entities = new Entities();

    @AfterEach
    void close() {
        entities.close();
    }

    @Test
    void rangesFollowEachOther() {
        assertThat(allocate(10)).isEqualTo(new IdRange(1, 10));
        assertThat(allocate(1)).isEqualTo(new IdRange(11, 11));
    }

    @Test
    void reservingSkipsIds() {
        assertThat(reserve(100)).isEqualTo(new IdRange(1, 100));
        assertThat(reserve(50)).isEqualTo(new IdRange(101, 100)).matches(IdRange::isEmpty);
        assertThat(allocate(2)).isEqualTo(new IdRange(101, 102));
    }

    @Test
    void rangesEndBelowTheScatteredIds() {
        reserve(SequentialIds.LAST - 1);
        assertThat(allocate(1)).isEqualTo(new IdRange(SequentialIds.LAST, SequentialIds.LAST));
        assertThatThrownBy(() -> allocate(1))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED));
        assertThat(entities.database().rows().allocateIds(1)[0]).isGreaterThan(SequentialIds.LAST);
    }

    @Test
    void concurrentRangesDoNotOverlap() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<IdRange>> ranges = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                ranges.add(threads.submit(() -> allocate(5)));
            }
            List<Long> firsts = new ArrayList<>();
            for (Future<IdRange> range : ranges) {
                firsts.add(range.get().first());
            }
            assertThat(firsts.stream().sorted().toList())
                    .isEqualTo(
                            java.util.stream.LongStream.range(0, 20)
                                    .mapToObj(i -> 1 + 5 * i)
                                    .toList());
        }
    }

    private IdRange allocate(long count) {
        return entities.datastore.allocateIdRange(Entities.PROJECT, "", count);
    }

    private IdRange reserve(long last) {
        return entities.datastore.reserveIdsUpTo(Entities.PROJECT, "", last);
    }
}
