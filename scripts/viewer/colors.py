"""The colours of the handles, as in RViz. They are distinguishable with colour blindness."""
GREEN, AMBER, RED, BLUE, PURPLE = (0, 184, 128), (242, 196, 26), (219, 77, 13), (64, 140, 242), (204, 77, 166)
GREY = (140, 147, 156)  # for an unknown state
MEASURED = (0.25, 0.55, 0.95, 0.4)  # of the measured arm, 0 to 1
BONE = (0.16, 0.55, 0.62, 1.0)  # of bones, 0 to 1
