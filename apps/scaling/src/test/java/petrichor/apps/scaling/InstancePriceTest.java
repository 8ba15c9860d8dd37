package petrichor.apps.scaling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import petrichor.apps.manifest.InstanceClass;

class InstancePriceTest {
    private static final SimulationReport.Usage USAGE = new SimulationReport.Usage(10, 3, 8);

    @Test
    void appEngineBillsAQuarterOfAnHourAfterEachInstance() {
        assertThat(InstancePrice.ofAppEngine(InstanceClass.F1).of(USAGE))
                .isEqualTo(0.05 * 12, within(1e-9));
        assertThat(InstancePrice.ofAppEngine(InstanceClass.B8).of(USAGE))
                .isEqualTo(0.40 * 12, within(1e-9));
    }

    @Test
    void ownMachinesCostTheHoursOnly() {
        assertThat(InstancePrice.of(0.02).of(USAGE)).isEqualTo(0.2, within(1e-9));
        assertThatThrownBy(() -> InstancePrice.of(-1)).hasMessageContaining("negative");
    }
}
