package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.assertFails;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.fill;
import static petrichor.kv.testkit.Rows.keys;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreView;
import petrichor.kv.WriteBatch;

/** Conformance of views, for a store that supports them. */
public interface ViewConformance extends StoreUnderTest {

    private KeyValueStore openWithViews() {
        KeyValueStore store = open();
        store.createTable(TABLE);
        return store;
    }

    @Test
    default void viewIsUnaffectedByLaterWrites() {
        try (KeyValueStore store = openWithViews()) {
            fill(store, "a", "b", "c");
            try (StoreView view = store.view()) {
                store.write(
                        put("a", "changed")
                                .delete(TABLE, bytes("b"))
                                .put(TABLE, bytes("d"), bytes("new")));
                store.write(new WriteBatch().deleteRange(TABLE, KeyRange.ALL));
                assertThat(value(view, "a")).isEqualTo("a");
                assertThat(value(view, "d")).isNull();
                assertThat(view.get(TABLE, List.of(bytes("b"), bytes("d"))))
                        .containsExactly(bytes("b"), null);
                assertThat(keys(view)).containsExactly("a", "b", "c");
                assertThat(keys(view, KeyRange.ALL, Direction.REVERSE, 2))
                        .containsExactly("c", "b");
                assertThat(keys(store)).isEmpty();
            }
        }
    }

    @Test
    default void viewsOfDifferentMomentsCanBeOpenTogether() {
        try (KeyValueStore store = openWithViews()) {
            store.write(put("a", "1"));
            StoreView first = store.view();
            store.write(put("a", "2"));
            StoreView second = store.view();
            store.write(put("a", "3"));
            assertThat(value(first, "a")).isEqualTo("1");
            first.close();
            assertThat(value(second, "a")).isEqualTo("2");
            assertThat(value(store, "a")).isEqualTo("3");
            second.close();
        }
    }

    @Test
    default void closedViewRefusesEveryCallButItsOpenScansContinue() {
        try (KeyValueStore store = openWithViews()) {
            fill(store, "a", "b");
            StoreView view = store.view();
            try (Scan scan = view.scan(TABLE, KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE)) {
                assertThat(scan.next()).isTrue();
                view.close();
                view.close();
                store.write(new WriteBatch().deleteRange(TABLE, KeyRange.ALL));
                assertThat(scan.next()).isTrue();
                assertThat(scan.key()).isEqualTo(bytes("b"));
            }
            assertFails(ErrorCode.UNAVAILABLE, () -> value(view, "a"));
            assertFails(ErrorCode.UNAVAILABLE, () -> keys(view));
        }
    }

    @Test
    default void scanOfAStoreWithViewsDoesNotSeeLaterWrites() {
        try (KeyValueStore store = openWithViews()) {
            fill(store, "a", "c");
            try (Scan scan =
                    store.scan(TABLE, KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE)) {
                assertThat(scan.next()).isTrue();
                fill(store, "b");
                assertThat(scan.next()).isTrue();
                assertThat(scan.key()).isEqualTo(bytes("c"));
            }
        }
    }

    @Test
    default void viewReportsMissingTablesLikeTheStore() {
        try (KeyValueStore store = openWithViews();
                StoreView view = store.view()) {
            assertFails(ErrorCode.NOT_FOUND, () -> view.get("missing", bytes("a")));
        }
    }

    @Test
    default void atomicBatchIsCompleteInEveryView() throws Exception {
        int writes = 300;
        try (KeyValueStore store = openWithViews()) {
            AtomicInteger acknowledged = new AtomicInteger();
            List<Callable<Void>> tasks = new ArrayList<>();
            tasks.add(
                    () -> {
                        for (int i = 1; i <= writes; i++) {
                            store.write(put("a", "" + i).put(TABLE, bytes("z"), bytes("" + i)));
                            acknowledged.set(i);
                        }
                        return null;
                    });
            for (int reader = 0; reader < 3; reader++) {
                tasks.add(
                        () -> {
                            while (acknowledged.get() < writes) {
                                try (StoreView view = store.view()) {
                                    assertThat(value(view, "z")).isEqualTo(value(view, "a"));
                                }
                            }
                            return null;
                        });
            }
            Threads.runAll(tasks);
        }
    }
}
