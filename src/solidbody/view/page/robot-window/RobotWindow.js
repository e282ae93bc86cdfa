// What robot windows import under the name of Webots' module; `frame.js` has made the class.
export default window.solidbodyRobotWindow;
