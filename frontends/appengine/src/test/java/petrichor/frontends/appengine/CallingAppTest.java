package petrichor.frontends.appengine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

final class CallingAppTest {
    @Test
    void anAppUsesOnlyItsOwnData() {
        CallingApp demo = CallingApp.of("demo");
        demo.require("");
        demo.require("demo");
        demo.require("s~demo");
        demo.require("dev~demo");
        for (String other :
                new String[] {"other", "s~other", "demo2", "s~s~demo", "demo~", "~demo"}) {
            assertThatThrownBy(() -> demo.require(other))
                    .as(other)
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            denied ->
                                    assertThat(denied.code())
                                            .isEqualTo(ErrorCode.PERMISSION_DENIED));
        }
    }

    @Test
    void idsThatCannotNameAProjectAreRefused() {
        for (String id : new String[] {"", "a/b", "a b", "s~demo", "x".repeat(101)}) {
            assertThatThrownBy(() -> CallingApp.of(id)).isInstanceOf(PetrichorException.class);
        }
    }
}
