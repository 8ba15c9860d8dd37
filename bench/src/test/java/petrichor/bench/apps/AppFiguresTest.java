package petrichor.bench.apps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.bench.apps.AppFigures.Figure;
import petrichor.bench.apps.AppFigures.Target;

final class AppFiguresTest {
    private static Figure figure(Target target, Double... rounds) {
        return new Figure("part", "name", "s", target, List.of(rounds));
    }

    @Test
    void theMedianMeetsTheTargetOrMissesIt() {
        Target most = new Target.AtMost(2);
        assertThat(figure(most, 9.0, 1.0, 2.0).met()).isTrue();
        assertThat(figure(most, 9.0, 1.0, 2.1).met()).isFalse();
        Target least = new Target.AtLeast(2);
        assertThat(figure(least, 0.0, 3.0, 2.0).met()).isTrue();
        assertThat(figure(least, 0.0, 3.0, 1.9).met()).isFalse();
        assertThat(figure(AppFigures.NONE, 9.0).met()).isTrue();
    }

    @Test
    void oneMissedTargetIsAMissedRun() {
        AppFigures figures = new AppFigures();
        figures.add(figure(new Target.AtMost(2), 1.0));
        assertThat(figures.allMet()).isTrue();
        figures.add(figure(new Target.AtMost(2), 3.0));
        assertThat(figures.allMet()).isFalse();
    }

    @Test
    void theFileHasEveryRoundInItsOrder() {
        AppFigures figures = new AppFigures();
        figures.add(figure(new Target.AtMost(2), 3.0, 1.0, 2.0));
        JsonObject json =
                JsonParser.parseString(figures.json())
                        .getAsJsonObject()
                        .getAsJsonArray("figures")
                        .get(0)
                        .getAsJsonObject();
        assertThat(json.get("rounds")).hasToString("[3.0,1.0,2.0]");
        assertThat(json.get("median").getAsDouble()).isEqualTo(2);
        assertThat(json.get("at_most").getAsDouble()).isEqualTo(2);
    }

    @Test
    void aFigureHasRounds() {
        assertThatThrownBy(() -> figure(AppFigures.NONE))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
